// Package group runs commands so that they end with all that they have started: in process groups,
// where the system has them.
package group
