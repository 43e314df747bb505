//go:build !unix

package main

// processUsage is not known on this system.
func processUsage() *usage { return nil }
