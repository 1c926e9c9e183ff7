package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shows;

/** PageHelper is called by the plugin. */
@Shows("PageHelper, added before")
class PageHelperBeforeTest extends PageHelperContract {
    @Override
    boolean isFirst() {
        return true;
    }
}
