package main

import (
	"fmt"
	"sync"
)

// ring is one round of token-ring or threadring: a goroutine for each task, and a channel from each
// task to its right neighbour.
type ring struct {
	hops     int64
	channels []chan int64
	last     int64
	wrong    bool
	running  sync.WaitGroup
}

func passToken(s *session, tasks, hops int64) error {
	var r *ring
	prepare := func() {
		r = &ring{hops: hops, channels: make([]chan int64, tasks), last: -1}
		for task := range r.channels {
			r.channels[task] = make(chan int64, 1)
		}
	}
	return s.sample(hops, prepare, func() error {
		r.running.Add(int(tasks))
		for task := int64(0); task < tasks; task++ {
			go r.handOn(task)
		}
		r.running.Wait()
		if r.wrong || r.last != hops%tasks {
			return fmt.Errorf("the last hop ended at task %d, expected %d", r.last, hops%tasks)
		}
		return nil
	})
}

// handOn passes the token to the right neighbour until the last hop has ended or the left neighbour
// has closed its channel. Hop n ends at task n modulo the number of tasks. One task at a time has
// the token, so only one writes to the ring.
func (r *ring) handOn(task int64) {
	defer r.running.Done()
	tasks := int64(len(r.channels))
	left, right := r.channels[(task+tasks-1)%tasks], r.channels[task]
	defer close(right)
	next := task
	if task == 0 {
		right <- 1
		next = tasks
	}
	for hop := range left {
		if hop != next {
			r.wrong = true
			return
		}
		next += tasks
		if hop == r.hops {
			r.last = task
			return
		}
		right <- hop + 1
	}
}
