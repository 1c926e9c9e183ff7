package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.SELECT;
import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The throttle behind a URL is opened by the driver, and out of reach: what it does is seen by what passes. */
@Shows("`jdbc:sqlthrottle:` URL")
class DriverUrlTest extends SourceContract {
    @TempDir
    Path folder;

    @Override
    DataSource over(Shop shop) throws IOException {
        return by(shop, shop.rules);
    }

    private DataSource by(Shop shop, String rules) throws IOException {
        Path file = Files.writeString(folder.resolve(shop.schema + ".yml"), rules);
        String url = shop.database.url(shop.schema).substring("jdbc:".length());
        return new DriverManagerDataSource("jdbc:sqlthrottle:(rules=" + file + ")" + url);
    }

    /** Where there is one place, another statement finds it free or not. */
    @Override
    int held(Shop shop, DataSource source) throws SQLException {
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            readAll(statement.executeQuery(SELECT));
            return 0;
        } catch (SqlThrottledException e) {
            return 1;
        }
    }

    @Override
    @OnEveryDatabase
    @Shows("not sent before its time, then as ever")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.blocking("users", "strategy: delay, delay: 20ms"));
                Connection connection = over(shop).getConnection(); Statement statement = connection.createStatement()) {
            long begun = System.nanoTime();
            assertThat(statement.executeUpdate(Shop.UPDATE)).isEqualTo(Shop.USERS);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(shop.seen()).isEqualTo(Shop.USERS);
        }
    }
}
