package com.jd.sword.mybatis.plugin.protector.documentation;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

public class App {
    interface Users {
        @Select("select name from users where id = #{id}")
        String name(int id);
    }

    public static void main(String[] arguments) {
        DataSource database = new PooledDataSource("org.h2.Driver", "jdbc:h2:mem:app;INIT="
                + "create table if not exists users as select x as id, 'user ' || x as name from system_range(1, 9)", null, null);
        Configuration configuration = new Configuration(new Environment("app", new JdbcTransactionFactory(), database));
        configuration.addMapper(Users.class);
        configuration.addInterceptor(new SQLBasedDatabaseProtectorPlugin());
        SqlSessionFactory sessions = new SqlSessionFactoryBuilder().build(configuration);

        for (int id = 1; id <= 4; id++) {
            try (SqlSession session = sessions.openSession()) {
                System.out.println(session.getMapper(Users.class).name(id));
            } catch (PersistenceException e) {
                ProtectionAbortException aborted = ProtectionAbortException.in(e).orElseThrow(() -> e);
                System.out.println(aborted.getCount() + " of " + aborted.getLimit() + " by " + aborted.getRule());
            }
        }
    }
}
