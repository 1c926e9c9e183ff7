package com.jd.sword.sqlthrottle.integration.mybatis;

import java.util.List;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** Of one customer, as MyBatis-Plus sees to. */
interface PlusOrders {
    @Select("select id from orders")
    List<Integer> all();

    @Update("update orders set customer = 9")
    int giveAway();
}
