package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shop;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Many;
import org.apache.ibatis.annotations.MapKey;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Result;
import org.apache.ibatis.annotations.ResultType;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.SelectKey;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.mapping.FetchType;
import org.apache.ibatis.session.ResultHandler;

/** Statements of every signature that MyBatis has. */
interface Users {
    @Select(Shop.SELECT)
    List<String> names();

    @Select(Shop.SELECT)
    @Options(timeout = 7)
    List<String> namesWithinSevenSeconds();

    @Select("select name from users where id = #{id}")
    String name(int id);

    @Select("select name from users where id = #{id}")
    Optional<String> optional(int id);

    @MapKey("id")
    @Select("select id, name from users")
    Map<Integer, Member> byId();

    @Select(Shop.SELECT)
    String[] array();

    @Select(Shop.SELECT)
    Set<String> set();

    @Select(Shop.SELECT)
    @Options(fetchSize = 1)
    Cursor<String> cursor();

    @Select(Shop.SELECT)
    @ResultType(String.class)
    void each(ResultHandler<String> handler);

    @Select("select count(*) from users")
    int count();

    @Select("select count(*) from users")
    Integer boxedCount();

    @Select("select name from users where id = #{id} for update")
    String locked(int id);

    @Select("select nothing from users")
    String broken();

    @Update(Shop.UPDATE)
    int seeAll();

    @Update(Shop.UPDATE)
    boolean seeAny();

    @Update("update users set seen = 1 where id = #{id}")
    int see(int id);

    @Insert("insert into users (id, name) values (#{id}, #{name})")
    int add(Member member);

    @Insert("insert into users (id, name) values (#{id}, #{name})")
    @SelectKey(statement = "select max(id) + 1 from users", keyProperty = "id", before = true, resultType = int.class)
    int addWithSelectedKey(Member member);

    @Insert("insert into orders (customer) values (#{customer})")
    int order(int customer);

    @Insert("insert into orders (customer) values (#{id})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int orderWithGeneratedKey(Member member);

    @Select("select id from orders where customer = #{id} order by id")
    List<Integer> orders(int id);

    @Select("select id, name from users where id <= #{most} order by id")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "orders", column = "id", many = @Many(select = "orders"))
    List<Member> eager(int most);

    @Select("select id, name from users where id = #{id}")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "orders", column = "id", many = @Many(select = "orders", fetchType = FetchType.LAZY))
    Member lazy(int id);
}
