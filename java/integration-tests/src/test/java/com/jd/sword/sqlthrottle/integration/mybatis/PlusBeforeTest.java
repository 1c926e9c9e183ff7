package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shows;

/** MyBatis-Plus is called by the plugin. */
@Shows("MyBatis-Plus, added before")
class PlusBeforeTest extends PlusContract {
    @Override
    boolean isFirst() {
        return true;
    }
}
