"""Runs the examples: the server in front of real databases, and the programs in Go and Python.

PREFIX and LIBDIR say where the library is installed.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

# The service knows where the databases are.
from service import ENVIRONMENT, EXAMPLES, Service, build, build_joined
from databases import MariaDB, PostgreSQL, poll

RULES = """
rules:
  - {name: reports, match: {tables: reports}, limit: {fixed_window: {max: 3, window: 1d}}}
  - {name: feeds, match: {tables: feeds}, limit: {fixed_window: {max: 1, window: 1d}}, then: {strategy: ignore}}
  - name: mails
    match: {tables: mails}
    limit: {token_bucket: {capacity: 1, rate: 5/s}}
    then: {strategy: delay, delay: until_allowed, max_delay: 1m}
  - name: jobs
    match: {tags: {endpoint: jobs}}
    limit: {concurrency: {max: 3, lease: 10m}}
    then: {strategy: delay, delay: until_allowed, max_delay: 10m}
  - {name: one, match: {tags: {endpoint: one}}, limit: {concurrency: {max: 1, lease: 10m}}}
  - name: slow
    match: {tags: {endpoint: slow}}
    limit: {token_bucket: {capacity: 1, rate: 1/d}}
    then: {strategy: delay, delay: 1h}
  - {name: per-user, match: {user: throttle, tags: {endpoint: who}}, per: [user, client], limit: {fixed_window: {max: 1, window: 1d}}}
"""

TABLES = ("reports", "feeds", "mails")


def most_at_once(intervals):
    """How many of the intervals have a point in common."""
    # Where one ends when another begins, they have none.
    events = sorted([(end, -1) for _, end in intervals] + [(begin, 1) for begin, _ in intervals])
    most = now = 0
    for _, change in events:
        now += change
        most = max(most, now)
    return most


class ServerTests:
    """What holds of the server whatever the database. A subclass names one."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.binary, cls.joined = build(folder), build_joined(folder)
        cls.server = cls.enterClassContext(cls.database())
        with Service(cls.binary, cls.server, None) as service, service.client() as client:
            for table in TABLES:
                assert client.ask(f"create table {table} (id int primary key, name varchar(20))").ok
                inserted = client.ask(f"insert into {table} values (1, 'one'), (2, 'two'), (3, null)")
                assert inserted.status == ["OK", "rows=0", "affected=3"], inserted

    @classmethod
    def enterClassContext(cls, context):
        """As unittest has it since Python 3.11."""
        entered = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        return entered

    def serve(self, rules=RULES, *options, preload=None):
        service = Service(self.binary, self.server, rules, *options, preload=preload)
        service.__enter__()
        self.addCleanup(service.__exit__)
        return service

    def connect(self, service, endpoint=None):
        client = service.client()
        self.addCleanup(client.close)
        return client if endpoint is None else client.tag("endpoint", endpoint)

    def assert_ends_cleanly(self, service):
        status, rules = service.stop()
        self.assertEqual(0, status)
        self.assertEqual({0}, {rule["in_use"] for rule in rules.values()})
        self.assertEqual({0}, {rule["leaked"] for rule in rules.values()})

    def test_what_is_allowed_is_answered_with_its_rows(self):
        service = self.serve()
        client = self.connect(service)
        answer = client.ask("select id, name from reports order by id")
        self.assertEqual([["1", "one"], ["2", "two"], ["3", None]], answer.rows)
        self.assertEqual(["OK", "rows=3", "affected=0"], answer.status)
        self.assertEqual([["a\tb\\c"]], client.ask(self.odd_text).rows)
        self.assert_ends_cleanly(service)

    def test_what_is_over_the_limit_is_refused_with_the_rule_and_the_reason(self):
        service = self.serve()
        client = self.connect(service)
        for number in range(3):
            self.assertTrue(client.ask(f"select * from reports where id = {number}").ok)
        refused = client.ask("select * from reports where id = 3").status
        self.assertEqual(["ERROR", "53400"], refused[:2])
        self.assertEqual(["reports", "over_limit"], refused[3:5])
        self.assertGreater(int(refused[5]), 0)
        # Nobody else is refused, and the same client may go on.
        self.assertTrue(client.ask("select * from feeds").ok)
        self.assertEqual(1, client.rule("reports")["aborted"])
        self.assert_ends_cleanly(service)

    def test_what_is_ignored_is_answered_as_empty_and_not_sent(self):
        service = self.serve()
        client = self.connect(service)
        self.assertEqual(3, len(client.ask("select * from feeds").rows))
        self.assertEqual(["OK", "rows=0", "affected=0"], client.ask("select * from feeds").status)
        self.assertEqual(["OK", "rows=0", "affected=0"], client.ask("delete from feeds").status)
        self.assertEqual(2, client.rule("feeds")["ignored"])
        with Service(self.binary, self.server, None) as unguarded, unguarded.client() as other:
            self.assertEqual(3, len(other.ask("select * from feeds").rows))
        self.assert_ends_cleanly(service)

    def test_what_is_delayed_is_sent_later(self):
        service = self.serve()
        client = self.connect(service)
        for _ in range(3):
            self.assertEqual([["one"]], client.ask("select name from mails where id = 1").rows)
        rule = client.rule("mails")
        self.assertEqual((2, 0), (rule["delayed"], rule["aborted_waiting"]))
        self.assertGreaterEqual(rule["resumed"], 2)
        self.assert_ends_cleanly(service)

    def test_no_more_run_at_once_than_there_are_permits(self):
        service = self.serve()
        intervals = []
        failed = []

        def work():
            with service.client() as client:
                client.tag("endpoint", "jobs")
                for _ in range(10):
                    answer = client.ask(self.begin_and_end)
                    (intervals if answer.ok else failed).append((answer.rows[0][0], answer.rows[0][2]) if answer.ok else answer)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(([], 80), (failed, len(intervals)))
        self.assertLessEqual(most_at_once(intervals), 3)
        rule = self.connect(service).rule("jobs")
        self.assertGreater(rule["delayed"], 0)
        self.assertEqual(0, rule["in_use"])
        self.assert_ends_cleanly(service)

    def test_a_statement_that_fails_gives_its_permit_back(self):
        service = self.serve()
        client = self.connect(service, "one")
        for _ in range(2):
            self.assertEqual(self.no_such_table, client.ask("select * from nowhere").sqlstate)
        self.assertEqual(0, client.rule("one")["in_use"])
        self.assert_ends_cleanly(service)

    def test_a_client_that_goes_gives_its_permit_back(self):
        service = self.serve()
        observer = self.connect(service)
        for statement in (self.sleep(0.5), self.endless):
            client = self.connect(service, "one")
            client.send(statement)
            poll(lambda: observer.rule("one")["in_use"] == 1, "the statement runs")
            refused = self.connect(service, "one").ask("select 1").status
            self.assertEqual(["ERROR", "53400"], refused[:2])
            self.assertEqual("one", refused[3])
            client.close()
            poll(lambda: observer.rule("one")["in_use"] == 0, "the permit is back")
        self.assertTrue(self.connect(service, "one").ask("select 1").ok)
        self.assert_ends_cleanly(service)

    def test_rules_are_read_again_on_sigusr1(self):
        service = self.serve()
        client = self.connect(service)
        for _ in range(3):
            client.ask("select * from reports")
        self.assertEqual("53400", client.ask("select * from reports").sqlstate)
        service.write_rules(RULES.replace("max: 3, window: 1d", "max: 1000, window: 1d"))
        service.reload("version 2 of the rules is in force")
        self.assertTrue(client.ask("select * from reports").ok)
        service.write_rules("rules: nonsense")
        service.reload("the new rules were refused")
        self.assertTrue(client.ask("select * from reports").ok)
        service.reload("the rules have not changed")
        self.assert_ends_cleanly(service)

    def test_rules_know_user_client_and_tags(self):
        service = self.serve()
        client = self.connect(service, "who")
        self.assertTrue(client.ask("select 1").ok)
        self.assertEqual("per-user", client.ask("select 1").status[3])
        client.tag("endpoint", "another")
        self.assertTrue(client.ask("select 1").ok)
        self.assert_ends_cleanly(service)

    def test_what_waits_ends_with_the_server(self):
        service = self.serve()
        observer, client = self.connect(service), self.connect(service, "slow")
        self.assertTrue(client.ask("select 1").ok)
        client.send("select 1")
        poll(lambda: observer.snapshot()["waiting"] == 1, "the statement waits")
        self.assert_ends_cleanly(service)
        self.assertEqual("57P01", client.receive().sqlstate)

    def test_a_client_that_sends_no_more_is_told_why_its_statement_did_not_wait(self):
        service = self.serve()
        client = self.connect(service, "slow")
        self.assertTrue(client.ask("select 1").ok)
        client.send("select 1")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual("57014", client.receive().sqlstate)
        self.assert_ends_cleanly(service)

    def test_what_runs_may_end_before_the_server_does(self):
        service = self.serve()
        observer, client = self.connect(service), self.connect(service, "one")
        client.send(self.sleep(0.5))
        poll(lambda: observer.rule("one")["in_use"] == 1, "the statement runs")
        self.assert_ends_cleanly(service)
        self.assertTrue(client.receive().ok)

    def test_what_does_not_end_in_time_is_cancelled(self):
        service = self.serve(RULES, "--grace", "0")
        observer, client = self.connect(service), self.connect(service, "one")
        client.send(self.sleep(3600))
        poll(lambda: observer.rule("one")["in_use"] == 1, "the statement runs")
        self.assert_ends_cleanly(service)

    def test_who_takes_nothing_does_not_hold_up_the_end(self):
        # Time for the database to be done, or what is cancelled has no answer.
        service = self.serve(RULES, "--grace", "2")
        observer, client = self.connect(service), self.connect(service, "one")
        client.send("select repeat('x', 10000000)")
        poll(lambda: observer.rule("one")["in_use"] == 1, "the statement runs")
        # Less than the time-out of a send, after which the server would give up by itself.
        status, _ = service.stop(seconds=25)
        self.assertEqual(0, status)

    def test_no_thread_outlives_the_server(self):
        service = self.serve(preload=self.joined)
        gone, idle, running = (self.connect(service) for _ in range(3))
        self.assertTrue(gone.ask("select 1").ok and idle.ask("select 1").ok)
        gone.close()
        running.send(self.sleep(0.1))
        status, _ = service.stop()
        self.assertEqual((0, ""), (status, service.complaints()))

    def test_lines_that_are_no_statement_are_errors(self):
        service = self.serve()
        client = self.connect(service)
        self.assertEqual("22021", client.ask("select 1\0; drop table reports").sqlstate)
        self.assertEqual("42601", client.ask("\\nonsense").sqlstate)
        self.assertEqual("22023", client.ask("\\tag endpoint").sqlstate)
        self.assertIn(["sql_throttle_guard_errors_total 0"], client.ask("\\metrics").rows)
        for length in (65537, 65538, 200000):
            self.assertEqual("54000", client.ask("select ".ljust(length, "1")).sqlstate)
        self.assertTrue(client.ask("select 1".ljust(65536)).ok)
        self.assert_ends_cleanly(service)

    def test_more_clients_than_agreed_are_refused(self):
        service = self.serve(RULES, "--most-clients", "1")
        self.assertTrue(self.connect(service).ask("select 1").ok)
        self.assertEqual("53300", self.connect(service).receive().sqlstate)
        self.assert_ends_cleanly(service)

    def test_without_rules_nothing_is_asked(self):
        service = self.serve(None)
        client = self.connect(service)
        for _ in range(10):
            self.assertTrue(client.ask("select * from reports").ok)
        self.assertEqual("42601", client.ask("\\snapshot").sqlstate)
        service.process.send_signal(signal.SIGUSR1)
        self.assertEqual((0, None), service.stop())

    def test_faults_of_rules_are_said_before_anything_is_served(self):
        command = [self.binary, "--rules", "/nowhere.yml", "--database", self.server.url]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertIn("/nowhere.yml", done.stderr)


class PostgreSQLTests(ServerTests, unittest.TestCase):
    database = PostgreSQL
    no_such_table = "42P01"
    odd_text = r"select E'a\tb\\c'"
    begin_and_end = "select clock_timestamp(), pg_sleep(0.02), clock_timestamp()"
    endless = "select generate_series(1, 1000000000)"

    @staticmethod
    def sleep(seconds):
        return f"select pg_sleep({seconds})"

    def test_a_copy_is_refused_and_the_session_goes_on(self):
        service = self.serve()
        client = self.connect(service, "one")
        self.assertEqual("0A000", client.ask("copy mails to stdout").sqlstate)
        self.assertEqual("0A000", client.ask("copy mails from stdin").sqlstate)
        self.assertTrue(client.ask("select 1").ok)
        self.assert_ends_cleanly(service)


class MariaDBTests(ServerTests, unittest.TestCase):
    database = MariaDB
    no_such_table = "42S02"
    odd_text = r"select 'a\tb\\c'"
    begin_and_end = "select sysdate(6), sleep(0.02), sysdate(6)"
    endless = "select seq from seq_1_to_1000000000"

    @staticmethod
    def sleep(seconds):
        return f"select sleep({seconds})"


class ProgramTests(unittest.TestCase):
    """The same question in other languages, and the same answers."""

    def assert_prints_what_is_expected(self, folder, *command):
        folder = os.path.join(EXAMPLES, folder)
        done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        with open(os.path.join(EXAMPLES, "expected.txt")) as expected:
            self.assertEqual(expected.read(), done.stdout)

    def test_go(self):
        self.assert_prints_what_is_expected("go", "go", "run", ".")

    def test_python(self):
        self.assert_prints_what_is_expected("ctypes", sys.executable, "check.py")


if __name__ == "__main__":
    unittest.main(verbosity=2)
