package com.jd.sword.mybatis.example;

import java.util.List;
import java.util.Map;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** What the shop asks its database. */
interface ShopMapper {
    String REPORT = "select customer, count(*) as orders, sum(total) as total from orders group by customer order by total desc limit 10";
    String VIEW = "update articles set views = views + 1 where id = #{id}";
    String EXPORT = "select id, customer, total from orders where id > #{after} order by id limit 1000";

    @Select(REPORT)
    List<Map<String, Object>> bestCustomers();

    @Update(VIEW)
    int countView(int id);

    @Select(EXPORT)
    List<Map<String, Object>> ordersAfter(int after);

    @Select("select total from orders where id = #{id}")
    Integer total(int id);

    @Update("update orders set total = #{total} where id = #{id}")
    int setTotal(@Param("id") int id, @Param("total") int total);
}
