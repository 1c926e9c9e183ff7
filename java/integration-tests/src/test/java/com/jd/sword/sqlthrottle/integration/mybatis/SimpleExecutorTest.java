package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import org.apache.ibatis.session.ExecutorType;

@Shows("`SIMPLE` executor")
class SimpleExecutorTest extends MapperContract {
    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new Mappers(shop, type);
    }

    @Override
    ExecutorType type() {
        return ExecutorType.SIMPLE;
    }

    @Override
    @OnEveryDatabase
    @Shows("each update is checked and sent by itself")
    void batch(Database database) throws Exception {
        eachUpdateByItself(database);
    }
}
