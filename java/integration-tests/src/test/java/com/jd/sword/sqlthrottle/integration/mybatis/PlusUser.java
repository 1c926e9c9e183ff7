package com.jd.sword.sqlthrottle.integration.mybatis;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;
import com.baomidou.mybatisplus.annotation.Version;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;

/** A row of users as MyBatis-Plus maps it: each update is to count up what another one has left. */
@TableName("users")
public class PlusUser {
    @TableId(type = IdType.INPUT)
    private Integer id;
    private String name;
    @Version
    private Integer seen;

    public Integer getId() {
        return id;
    }

    public void setId(Integer id) {
        this.id = id;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public Integer getSeen() {
        return seen;
    }

    public void setSeen(Integer seen) {
        this.seen = seen;
    }

    /** Of statements that nobody has written. */
    interface Mapper extends BaseMapper<PlusUser> {}
}
