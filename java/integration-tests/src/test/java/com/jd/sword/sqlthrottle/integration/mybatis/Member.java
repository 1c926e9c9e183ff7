package com.jd.sword.sqlthrottle.integration.mybatis;

import java.io.Serializable;
import java.util.List;

/** A row of users, with the orders that another statement selects. */
public class Member implements Serializable {
    private static final long serialVersionUID = 1L;

    private int id;
    private String name;
    private List<Integer> orders;

    public int getId() {
        return id;
    }

    public void setId(int id) {
        this.id = id;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public List<Integer> getOrders() {
        return orders;
    }

    public void setOrders(List<Integer> orders) {
        this.orders = orders;
    }
}
