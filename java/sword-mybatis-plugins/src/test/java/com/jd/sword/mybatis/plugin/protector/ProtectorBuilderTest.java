package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.Throttle;
import java.nio.file.Paths;
import java.util.Properties;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Test;

/** Plugins keep what they were made with. */
class ProtectorBuilderTest {
    private static final ThresholdConfig ANY = ThresholdConfig.of(1);

    @Test
    void whatIsSaidLaterIsForAnotherPlugin() {
        ProtectorBuilder builder = SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> ANY);
        try (SQLBasedDatabaseProtectorPlugin plugin = builder.build()) {
            builder.rules(Paths.get("there/is/none.yml"));
            assertThat(plugin.throttle().isClosed()).isFalse();
        }
    }

    @Test
    void propertiesWithAFaultChangeNothing() {
        try (SQLBasedDatabaseProtectorPlugin plugin = SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> ANY).build()) {
            for (String fault : new String[] {"a", "z", "dialects", "strategies"}) {
                Properties properties = new Properties();
                properties.setProperty("rules", "there/is/none.yml");
                properties.setProperty(fault, "1");
                assertThatThrownBy(() -> plugin.setProperties(properties)).isInstanceOf(SqlThrottleException.class);
            }
            assertThat(plugin.throttle().isClosed()).isFalse();
        }
    }

    @Test
    void toCloseItDoesNothingToAThrottleThatItWasGiven() throws Exception {
        try (Shop shop = Shop.with("{}"); Throttle throttle = Throttle.builder().rules("{}").thresholdProvider(null).open()) {
            SQLBasedDatabaseProtectorPlugin plugin = new SQLBasedDatabaseProtectorPlugin(throttle);
            plugin.close();
            SqlSessionFactory factory = shop.factory(shop.source, configuration -> configuration.addInterceptor(plugin));
            try (SqlSession session = factory.openSession()) {
                assertThat(session.getMapper(Users.class).names()).hasSize(Shop.USERS);
            }
            assertThat(throttle.isClosed()).isFalse();
        }
    }
}
