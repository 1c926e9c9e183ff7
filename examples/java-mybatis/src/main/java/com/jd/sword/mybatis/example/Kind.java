package com.jd.sword.mybatis.example;

import java.util.concurrent.ThreadLocalRandom;

/** What clients send. All but the last are sent in a burst. */
enum Kind {
    REPORT("reports") {
        @Override
        Outcome send(ShopMapper shop) {
            return Outcome.ofRows(shop.bestCustomers());
        }
    },
    VIEW("counted views") {
        @Override
        Outcome send(ShopMapper shop) {
            return Outcome.ofCount(shop.countView(random(Shop.ARTICLES)));
        }
    },
    EXPORT("exports") {
        @Override
        Outcome send(ShopMapper shop) {
            return Outcome.ofRows(shop.ordersAfter(random(Shop.ORDERS - 1)));
        }
    },
    INNOCENT("innocent statements") {
        @Override
        Outcome send(ShopMapper shop) {
            int id = random(Shop.ORDERS);
            return id % 4 == 0 ? Outcome.ofCount(shop.setTotal(id, random(1000))) : shop.total(id) == null ? Outcome.IGNORED : Outcome.SENT;
        }
    };

    private final String plural;

    Kind(String plural) {
        this.plural = plural;
    }

    /** Sends one, and says what has become of it. */
    abstract Outcome send(ShopMapper shop);

    String plural() {
        return plural;
    }

    private static int random(int most) {
        return ThreadLocalRandom.current().nextInt(most) + 1;
    }
}
