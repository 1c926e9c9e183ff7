package com.jd.sword.mybatis.plugin.protector;

import java.util.List;
import org.apache.ibatis.annotations.CacheNamespace;
import org.apache.ibatis.annotations.Select;

/** Statements with a second-level cache. */
@CacheNamespace
interface CachedUsers {
    @Select("select name from users order by id")
    List<String> names();

    /** The same, with a cache that has one session look at a time. */
    @CacheNamespace(blocking = true)
    interface Blocking {
        @Select("select name from users order by id")
        List<String> names();
    }
}
