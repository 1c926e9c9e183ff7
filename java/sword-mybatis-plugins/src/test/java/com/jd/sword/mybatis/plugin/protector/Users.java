package com.jd.sword.mybatis.plugin.protector;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.MapKey;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Result;
import org.apache.ibatis.annotations.ResultType;
import org.apache.ibatis.annotations.Many;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.SelectKey;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.mapping.FetchType;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;

/** Statements of every signature that MyBatis has. */
interface Users {
    String NAMES = "select name from users order by id";

    @Select(NAMES)
    List<String> names();

    @Select(NAMES)
    List<String> page(RowBounds bounds);

    @Select("select name from users where id = #{id}")
    String name(int id);

    @Select("select name from users where id = #{id}")
    Optional<String> optional(int id);

    @MapKey("id")
    @Select("select id, name from users")
    Map<Integer, User> byId();

    @Select("select id, name from users where id = #{id}")
    Map<String, Object> columns(int id);

    @Select(NAMES)
    String[] array();

    @Select("select id from users")
    int[] ids();

    @Select(NAMES)
    Set<String> set();

    @Select(NAMES)
    Cursor<String> cursor();

    @Select("select count(*) from users")
    int count();

    @Select("select count(*) from users")
    long countLong();

    @Select("select count(*) > 0 from users")
    boolean any();

    @Select("select count(*) from users")
    Integer boxedCount();

    @Select(NAMES)
    @ResultType(String.class)
    void each(ResultHandler<String> handler);

    @Select("select name from users where id = #{id} for update")
    String locked(int id);

    @Select(value = "select name from users where id = #{id}", affectData = true)
    String selectThatWrites(int id);

    @Update("update users set seen = 1 where id = #{id}")
    int see(int id);

    @Update("update users set seen = 1")
    long seeLong();

    @Update("update users set seen = 1")
    boolean seeAny();

    @Update("update users set seen = 1")
    void seeAll();

    @Update("update users set seen = 1")
    Integer seeBoxed();

    @Insert("insert into users (id, name) values (#{id}, #{name})")
    int insert(User user);

    @Insert("insert into users (id, name) values (#{id}, #{name})")
    @SelectKey(statement = "select max(id) + 1 from users", keyProperty = "id", before = true, resultType = int.class)
    int insertKeyBefore(User user);

    @Insert("insert into orders (customer, item) values (1, #{name})")
    @SelectKey(statement = "select max(id) from orders", keyProperty = "id", before = false, resultType = int.class)
    int insertKeyAfter(User user);

    @Insert("insert into orders (customer, item) values (1, #{name})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int insertGenerated(User user);

    @Select("select item from orders where customer = #{id} order by id")
    List<String> orders(int id);

    @Select("select id, name from users where id <= #{most} order by id")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "orders", column = "id", many = @Many(select = "orders"))
    List<User> eager(int most);

    @Select("select id, name from users where id = #{id}")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "orders", column = "id", many = @Many(select = "orders", fetchType = FetchType.LAZY))
    User lazy(int id);

    @Select("select id, name from users where id = #{id}")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "peers", column = "id", many = @Many(select = "eager", fetchType = FetchType.LAZY))
    User lazyOfEager(int id);

    @Select("select id, name from users order by id")
    @Result(property = "id", column = "id", id = true)
    @Result(property = "orders", column = "id", many = @Many(select = "orders"))
    Cursor<User> eagerCursor();

    @Select("<script>select name from users where id in <foreach item='id' collection='ids' open='(' separator=',' close=')'>#{id}"
            + "</foreach></script>")
    List<String> among(@Param("ids") List<Integer> ids);

    @Select("select name from users where id = 1 and 1 = (select sleepless from nowhere)")
    String broken();

    @Select(NAMES)
    @Options(timeout = 7)
    List<String> timed();
}
