package com.jd.sword.mybatis.plugin.protector.documentation;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.mybatis.plugin.protector.SpringSqlThresholdProvider;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.nio.file.Paths;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.session.Configuration;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** What the documentation shows in between, so that a compiler has seen it. */
class Snippets {
    void fewestLines(Configuration configuration) {
        configuration.addInterceptor(new SQLBasedDatabaseProtectorPlugin());
    }

    void fingerprints(SQLBasedDatabaseProtectorPlugin plugin) {
        Throttle throttle = plugin.throttle();
        System.out.println(throttle.top(10));
        System.out.println(throttle.fingerprint("select name from users where id = ?", Dialect.POSTGRESQL));
    }

    Interceptor[] rules(Throttle throttle) {
        Interceptor both = SQLBasedDatabaseProtectorPlugin.builder()
                .thresholds(new SpringSqlThresholdProvider())
                .rules(Paths.get("sqlthrottle.yml"))
                .build();

        Interceptor shared = new SQLBasedDatabaseProtectorPlugin(throttle);

        return new Interceptor[] {both, shared};
    }

    Interceptor context(Map<String, StatementContext> contexts) {
        Interceptor perUser = SQLBasedDatabaseProtectorPlugin.builder()
                .rules(Paths.get("sqlthrottle.yml"))
                .context(() -> contexts.get(currentUser()))
                .build();
        return perUser;
    }

    Interceptor strategy() {
        Interceptor queueing = SQLBasedDatabaseProtectorPlugin.builder()
                .thresholds(new SpringSqlThresholdProvider())
                .strategy("queue", new Queue())
                .build();
        return queueing;
    }

    private static String currentUser() {
        return "anna";
    }

    /** Beans, as Boot finds them. */
    static class BootBeans {
        @Bean
        SQLBasedDatabaseProtectorPlugin protector(Environment environment) {
            return new SQLBasedDatabaseProtectorPlugin(new SpringSqlThresholdProvider(environment));
        }
    }

    /** Beans of a program without it. */
    static class Beans {
        @Bean
        SQLBasedDatabaseProtectorPlugin protector() {
            return new SQLBasedDatabaseProtectorPlugin();
        }

        @Bean
        SqlSessionFactoryBean sessions(DataSource source, SQLBasedDatabaseProtectorPlugin protector) {
            SqlSessionFactoryBean sessions = new SqlSessionFactoryBean();
            sessions.setDataSource(source);
            sessions.setPlugins(protector);
            return sessions;
        }
    }
}
