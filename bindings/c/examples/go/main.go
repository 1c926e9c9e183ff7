// A Go program that asks sqlthrottle by cgo. It prints what ../expected.txt has.
package main

/*
#cgo pkg-config: sqlthrottle
#include <sqlthrottle.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

const rules = `
rules:
  - {name: reports, match: {tables: reports}, limit: {fixed_window: {max: 1, window: 1d}}}
  - {name: feeds, match: {tables: feeds}, limit: {fixed_window: {max: 1, window: 1d}}, then: {strategy: ignore}}
  - {name: exports, match: {tables: exports}, limit: {concurrency: {max: 1}}}
  - {name: mails, match: {tables: mails}, limit: {fixed_window: {max: 1, window: 1d}}, then: {strategy: delay, delay: 10ms}}
`

// Throttle decides which statements may be sent now. It may be used by any number of goroutines.
type Throttle struct{ engine *C.sqlthrottle_engine_t }

// Open makes a Throttle of the text of a rule file.
func Open(rules string) (*Throttle, error) {
	// The last error belongs to the thread, and goroutines move from one to another.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text := C.CString(rules)
	defer C.free(unsafe.Pointer(text))
	throttle := &Throttle{}
	if C.sqlthrottle_engine_from_rules(text, C.size_t(len(rules)), nil, &throttle.engine) != C.SQLTHROTTLE_OK {
		return nil, lastError()
	}
	return throttle, nil
}

// Close frees it. No other goroutine may use it any more.
func (t *Throttle) Close() { C.sqlthrottle_engine_free(t.engine) }

// Check decides on a statement whose empty result the caller can stand in for. What it allows is to be released.
func (t *Throttle) Check(sql string) (C.sqlthrottle_decision_t, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// A copy that C owns: a pointer to Go's memory must not be stored in a struct that C is given.
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	statement := C.sqlthrottle_statement_t{
		size:  C.sizeof_sqlthrottle_statement_t,
		sql:   C.sqlthrottle_text_t{data: text, length: C.size_t(len(sql))},
		fakes: C.SQLTHROTTLE_FAKES_ROWS,
	}
	decision := C.sqlthrottle_decision_t{size: C.sizeof_sqlthrottle_decision_t}
	if C.sqlthrottle_check_statement(t.engine, &statement, &decision) != C.SQLTHROTTLE_OK {
		return decision, lastError()
	}
	return decision, nil
}

// Wait waits as long as a decision says, and returns what is decided then. Other goroutines go on meanwhile.
func (t *Throttle) Wait(decision C.sqlthrottle_decision_t) (C.sqlthrottle_decision_t, error) {
	for decision.verdict == C.SQLTHROTTLE_DELAY {
		time.Sleep(time.Duration(decision.delay_ns))
		if err := t.resume(&decision); err != nil {
			return decision, err
		}
	}
	return decision, nil
}

func (t *Throttle) resume(decision *C.sqlthrottle_decision_t) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.sqlthrottle_resume(t.engine, decision.ticket, 0, decision) != C.SQLTHROTTLE_OK {
		return lastError()
	}
	return nil
}

// Reload puts other rules in force. Counts are kept, and statements that are being checked see one set or the other.
func (t *Throttle) Reload(rules string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text := C.CString(rules)
	defer C.free(unsafe.Pointer(text))
	if C.sqlthrottle_reload(t.engine, text, C.size_t(len(rules)), nil) != C.SQLTHROTTLE_OK {
		return lastError()
	}
	return nil
}

// Release gives back what a statement held that has ended. To do so twice is harmless.
func (t *Throttle) Release(decision C.sqlthrottle_decision_t) {
	C.sqlthrottle_release(t.engine, decision.permit)
}

func lastError() error {
	var needed C.size_t
	C.sqlthrottle_last_error_message(nil, 0, &needed)
	buffer := (*C.char)(C.malloc(needed))
	defer C.free(unsafe.Pointer(buffer))
	C.sqlthrottle_last_error_message(buffer, needed, nil)
	return errors.New(C.GoString(buffer))
}

func show(throttle *Throttle, sql string) (C.sqlthrottle_decision_t, error) {
	decision, err := throttle.Check(sql)
	if err != nil {
		return decision, err
	}
	describe(sql, decision)
	if decision.verdict != C.SQLTHROTTLE_DELAY {
		return decision, nil
	}
	if decision, err = throttle.Wait(decision); err != nil {
		return decision, err
	}
	describe("after the wait", decision)
	return decision, nil
}

func describe(what string, decision C.sqlthrottle_decision_t) {
	verdict := C.GoString(C.sqlthrottle_verdict_name(decision.verdict))
	reason := C.GoString(C.sqlthrottle_reason_name(decision.reason))
	fmt.Println(strings.TrimSpace(fmt.Sprint(what, ": ", verdict, ", ", reason, " ", C.GoString(&decision.rule[0]))))
}

func run() error {
	if uint32(C.sqlthrottle_abi_version()) < C.SQLTHROTTLE_ABI_VERSION {
		return errors.New("the library is older than the header")
	}
	throttle, err := Open(rules)
	if err != nil {
		return err
	}
	defer throttle.Close()
	statements := []string{
		"select 1",
		"select * from reports where id = 1",
		"select * from reports where id = 2",
		"select * from feeds where id = 1",
		"select * from feeds where id = 2",
		"select * from mails where id = 1",
		"select * from mails where id = 2",
	}
	for _, sql := range statements {
		decision, err := show(throttle, sql)
		if err != nil {
			return err
		}
		throttle.Release(decision)
	}
	first, err := show(throttle, "select * from exports")
	if err != nil {
		return err
	}
	if _, err = show(throttle, "select * from exports"); err != nil {
		return err
	}
	throttle.Release(first)
	again, err := show(throttle, "select * from exports")
	if err != nil {
		return err
	}
	throttle.Release(again)
	if err = throttle.Reload(strings.Replace(rules, "max: 1, window", "max: 3, window", 1)); err != nil {
		return err
	}
	raised, err := show(throttle, "select * from reports where id = 3")
	if err != nil {
		return err
	}
	throttle.Release(raised)
	_, err = Open("rules: [{name: broken, limit: {concurrency: {max: 0}}}]")
	fmt.Println(err)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
