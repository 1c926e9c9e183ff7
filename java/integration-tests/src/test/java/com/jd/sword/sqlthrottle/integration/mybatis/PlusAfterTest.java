package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shows;

/** The plugin is called by MyBatis-Plus. */
@Shows("MyBatis-Plus, added after")
class PlusAfterTest extends PlusContract {
    @Override
    boolean isFirst() {
        return false;
    }
}
