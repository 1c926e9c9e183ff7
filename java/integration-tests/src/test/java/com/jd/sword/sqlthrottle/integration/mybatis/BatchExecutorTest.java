package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import org.apache.ibatis.session.ExecutorType;

@Shows("`BATCH` executor")
class BatchExecutorTest extends MapperContract {
    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new Mappers(shop, type);
    }

    @Override
    ExecutorType type() {
        return ExecutorType.BATCH;
    }
}
