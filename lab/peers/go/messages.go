package main

import (
	"fmt"
	"sync"
)

// clients is how many clients of msgsend there are.
const clients = 10

// bound is how many messages wait for the server of msgsend. Go has no channel without a bound.
const bound = 128

// total is what the server knows of the messages that it took.
type total struct {
	count, sum int64
}

// request is a number, or a question if it has a place for the answer.
type request struct {
	number int64
	reply  chan<- total
}

func msgsend(s *session, each int64) error {
	expected := total{clients * each, clients * (each * (each - 1) / 2)}
	return s.sample(clients*each, nil, func() error {
		if found := askForTotal(each); found != expected {
			return fmt.Errorf("the total is %v, expected %v", found, expected)
		}
		return nil
	})
}

// askForTotal starts the server and the clients, and asks for the total when all have sent.
func askForTotal(each int64) total {
	requests := make(chan request, bound)
	go serve(requests)
	var sending sync.WaitGroup
	sending.Add(clients)
	for client := 0; client < clients; client++ {
		go func() {
			defer sending.Done()
			for number := int64(0); number < each; number++ {
				requests <- request{number: number}
			}
		}()
	}
	sending.Wait()
	reply := make(chan total, 1)
	requests <- request{reply: reply}
	return <-reply
}

// serve adds up numbers until it is asked. What was sent before the question comes before it.
func serve(requests <-chan request) {
	var sum total
	for r := range requests {
		if r.reply != nil {
			r.reply <- sum
			return
		}
		sum.count++
		sum.sum += r.number
	}
}

func pingPong(s *session, rounds int64) error {
	return s.sample(rounds, nil, func() error {
		there, back := make(chan int64, 1), make(chan int64, 1)
		go func() {
			for number := range there {
				back <- number + 1
			}
		}()
		defer close(there)
		for number := int64(0); number < rounds; number++ {
			there <- number
			if answer := <-back; answer != number+1 {
				return fmt.Errorf("the answer to %d is %d", number, answer)
			}
		}
		return nil
	})
}
