package com.jd.sword.mybatis.plugin.protector;

import java.io.Serializable;
import java.util.List;

/** A row of users, with what other statements load. */
public class User implements Serializable {
    private static final long serialVersionUID = 1L;

    private int id;
    private String name;
    private List<String> orders;
    private List<User> peers;

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

    public List<String> getOrders() {
        return orders;
    }

    public void setOrders(List<String> orders) {
        this.orders = orders;
    }

    public List<User> getPeers() {
        return peers;
    }

    public void setPeers(List<User> peers) {
        this.peers = peers;
    }

    static User named(String name) {
        User user = new User();
        user.name = name;
        return user;
    }
}
