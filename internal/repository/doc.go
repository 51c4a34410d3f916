// Package repository knows the directories of version control systems.
package repository
