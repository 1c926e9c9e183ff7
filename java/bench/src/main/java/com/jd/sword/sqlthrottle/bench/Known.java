package com.jd.sword.sqlthrottle.bench;

/** The statement that every limiter is asked about, and limits that refuse nothing. */
final class Known {
    /** 100 characters. As one object, as it is where a program has its statements written down. */
    static final String SQL = "select id, name, email, created_at from accounts_00000 where id = ? and state = 'open'              ";

    /** More than a thread can check in the window of {@link #WINDOW_MILLIS}. */
    static final int BOUNDLESS = 60_000_000;

    /** One that the coarse clock of the library may serve. */
    static final int WINDOW_MILLIS = 1200;

    private Known() {}
}
