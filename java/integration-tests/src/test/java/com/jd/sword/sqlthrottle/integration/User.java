package com.jd.sword.sqlthrottle.integration;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "users")
class User {
    @Id
    int id;
    String name;
    int seen;

    User() {}

    User(int id, String name) {
        this.id = id;
        this.name = name;
    }
}
