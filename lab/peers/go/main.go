// The lab's workloads in Go: goroutines and channels. The lab compiles and starts this program; its
// arguments and its answer are described in ../README.md.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

func main() {
	found, err := run(os.Args[1:])
	if err != nil {
		found = &measurement{Error: err.Error()}
	}
	found.Protocol = 1
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures what the arguments ask for.
func run(arguments []string) (*measurement, error) {
	if len(arguments) != 8 {
		return nil, fmt.Errorf("there are %d arguments, and ../README.md describes 8", len(arguments))
	}
	var numbers [7]int64
	for place, text := range arguments[1:] {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil || number < 0 {
			return nil, fmt.Errorf("the argument %q is no number from 0 on", text)
		}
		numbers[place] = number
	}
	size, jobs := numbers[0], int(numbers[1])
	if size == 0 || jobs == 0 {
		return nil, fmt.Errorf("size and jobs are 1 at least")
	}
	runtime.GOMAXPROCS(jobs)
	s := newSession(numbers[2:])
	switch workload := arguments[0]; workload {
	case "tree-sum":
		return s.found, treeSum(s, size)
	case "msgsend":
		return s.found, msgsend(s, size)
	case "ping-pong":
		return s.found, pingPong(s, size)
	case "token-ring":
		return s.found, passToken(s, 100, size)
	case "threadring":
		return s.found, passToken(s, 503, size)
	default:
		return nil, fmt.Errorf("there is no workload %q here", workload)
	}
}
