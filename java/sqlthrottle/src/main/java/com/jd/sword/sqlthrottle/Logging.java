package com.jd.sword.sqlthrottle;

import java.util.logging.Logger;

/** Where this library logs: by the JDK's own logger, which every logging framework can take in. */
final class Logging {
    static final Logger LOGGER = Logger.getLogger("com.jd.sword.sqlthrottle");

    private Logging() {}
}
