package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shop;
import java.util.List;
import org.apache.ibatis.annotations.CacheNamespace;
import org.apache.ibatis.annotations.Select;

/** What sessions share once they are over: the second-level cache. */
@CacheNamespace
interface CachedUsers {
    @Select(Shop.SELECT)
    List<String> names();
}
