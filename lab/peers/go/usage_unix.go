//go:build unix

package main

import "syscall"

// processUsage is what this process has used until now, or nil if the system does not tell.
func processUsage() *usage {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return nil
	}
	user, system := r.Utime.Nano(), r.Stime.Nano()
	return &usage{
		CPUNs:          user + system,
		UserNs:         user,
		SystemNs:       system,
		CtxVoluntary:   int64(r.Nvcsw),
		CtxInvoluntary: int64(r.Nivcsw),
		FaultsMinor:    int64(r.Minflt),
		FaultsMajor:    int64(r.Majflt),
	}
}
