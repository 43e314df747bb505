package main

import "time"

// measurement is the answer to the lab.
type measurement struct {
	Protocol   int       `json:"protocol"`
	Error      string    `json:"error,omitempty"`
	Items      int64     `json:"items,omitempty"`
	Operations int64     `json:"operations,omitempty"`
	WallNs     []float64 `json:"wall_ns,omitempty"`
	CPUNs      []float64 `json:"cpu_ns,omitempty"`
	Usage      *usage    `json:"usage,omitempty"`
}

// usage is what the process has used: a difference, or all of it until now.
type usage struct {
	CPUNs          int64 `json:"cpu_ns"`
	UserNs         int64 `json:"user_ns"`
	SystemNs       int64 `json:"system_ns"`
	CtxVoluntary   int64 `json:"ctx_voluntary"`
	CtxInvoluntary int64 `json:"ctx_involuntary"`
	FaultsMinor    int64 `json:"faults_minor"`
	FaultsMajor    int64 `json:"faults_major"`
}

// add adds the difference of two looks.
func (u *usage) add(before, after *usage) {
	u.CPUNs += after.CPUNs - before.CPUNs
	u.UserNs += after.UserNs - before.UserNs
	u.SystemNs += after.SystemNs - before.SystemNs
	u.CtxVoluntary += after.CtxVoluntary - before.CtxVoluntary
	u.CtxInvoluntary += after.CtxInvoluntary - before.CtxInvoluntary
	u.FaultsMinor += after.FaultsMinor - before.FaultsMinor
	u.FaultsMajor += after.FaultsMajor - before.FaultsMajor
}

// session warms up and takes samples.
type session struct {
	warmUp, window         time.Duration
	samplesMin, samplesMax int64
	sampleNs               int64
	found                  *measurement
}

// newSession has the last five arguments of the program.
func newSession(effort []int64) *session {
	return &session{
		warmUp:     time.Duration(effort[0]) * time.Millisecond,
		window:     time.Duration(effort[1]) * time.Millisecond,
		samplesMin: effort[2],
		samplesMax: effort[3],
		sampleNs:   effort[4],
		found:      &measurement{},
	}
}

// sample measures an operation of this many items. An operation with a preparation, which is not
// timed, is the only one of its sample.
func (s *session) sample(items int64, prepare func(), operation func() error) error {
	found := s.found
	found.Items = items
	start, done, step := time.Now(), int64(0), int64(1)
	for done == 0 || time.Since(start) < s.warmUp {
		if err := repeat(step, prepare, operation); err != nil {
			return err
		}
		done += step
		// The clock must not be a part of what is estimated.
		if prepare == nil && step < 1<<10 {
			step *= 2
		}
	}
	batch := int64(1)
	if prepare == nil {
		each := int64(time.Since(start)) / done
		if each == 0 {
			each = 1
		}
		if wanted := (s.sampleNs + each - 1) / each; wanted > 1 {
			batch = wanted
		}
	}

	start = time.Now()
	for {
		if err := s.timed(batch, prepare, operation); err != nil {
			return err
		}
		taken := int64(len(found.WallNs))
		if taken >= s.samplesMax || taken >= s.samplesMin && time.Since(start) >= s.window {
			return nil
		}
	}
}

// timed takes a sample.
func (s *session) timed(batch int64, prepare func(), operation func() error) error {
	found := s.found
	if prepare != nil {
		prepare()
	}
	before := processUsage()
	start := time.Now()
	err := repeat(batch, nil, operation)
	wall := time.Since(start)
	after := processUsage()
	found.Operations += batch
	found.WallNs = append(found.WallNs, float64(wall)/float64(batch))
	if before != nil && after != nil {
		if found.Usage == nil {
			found.Usage = &usage{}
		}
		found.Usage.add(before, after)
		found.CPUNs = append(found.CPUNs, float64(after.CPUNs-before.CPUNs)/float64(batch))
	}
	return err
}

// repeat runs operations until one of them has a wrong answer.
func repeat(times int64, prepare func(), operation func() error) error {
	for ; times > 0; times-- {
		if prepare != nil {
			prepare()
		}
		if err := operation(); err != nil {
			return err
		}
	}
	return nil
}
