package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shows;

/** The plugin is called by PageHelper, as where that adds itself once all beans are made. */
@Shows("PageHelper, added after")
class PageHelperAfterTest extends PageHelperContract {
    @Override
    boolean isFirst() {
        return false;
    }
}
