package main

import "fmt"

type node struct {
	value       int64
	left, right *node
}

// build makes the balanced tree of low to high, parents before children.
func build(low, high int64) *node {
	if low > high {
		return nil
	}
	middle := low + (high-low)/2
	n := &node{value: middle}
	n.left = build(low, middle-1)
	n.right = build(middle+1, high)
	return n
}

// sum has a goroutine for the right half of each node with two children, and does the left half
// meanwhile.
func (n *node) sum() int64 {
	switch {
	case n.left != nil && n.right != nil:
		right := make(chan int64, 1)
		go func() { right <- n.right.sum() }()
		left := n.left.sum()
		return n.value + left + <-right
	case n.left != nil:
		return n.value + n.left.sum()
	case n.right != nil:
		return n.value + n.right.sum()
	default:
		return n.value
	}
}

func treeSum(s *session, size int64) error {
	root, expected := build(1, size), size*(size+1)/2
	return s.sample(size, nil, func() error {
		if found := root.sum(); found != expected {
			return fmt.Errorf("wrong answer: %d, expected %d", found, expected)
		}
		return nil
	})
}
