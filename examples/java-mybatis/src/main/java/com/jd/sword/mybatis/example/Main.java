package com.jd.sword.mybatis.example;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.sqlthrottle.Throttle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A burst of identical SQL in a MyBatis program, first without the plugin, then with it.
 *
 * <p>{@code make demo-mybatis}, or {@code java -jar examples/java-mybatis/target/example-mybatis.jar [SECONDS]}, which is the length of each
 * run: 1 to 9, 4 unless said.
 */
public final class Main {
    private static final List<String> IN_BURST = List.of(ShopMapper.REPORT, ShopMapper.VIEW, ShopMapper.EXPORT);
    /** All thresholds of a provider, such as application.yml, are one rule. */
    private static final Pattern DELAYED =
            Pattern.compile("^sql_throttle_decisions_total\\{rule=\"provider\",verdict=\"delay\"} (\\d+)$", Pattern.MULTILINE);

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Duration length = length(arguments);
        if (length == null) {
            System.err.println("Say how many seconds each run is to last: a number from 1 to 9.");
            System.exit(2);
            return;
        }
        try (Shop shop = new Shop(); SQLBasedDatabaseProtectorPlugin plugin = new SQLBasedDatabaseProtectorPlugin()) {
            introduce(plugin.throttle());

            System.out.printf("%nWithout the plugin, %d s:%n%n", length.toSeconds());
            System.out.print(new Table(Burst.run(shop.unprotected(), length)));

            System.out.printf("%nWith it, %d s:%n%n", length.toSeconds());
            System.out.print(new Table(Burst.run(shop.protectedBy(plugin), length)));
            System.out.printf("%nOf those that were sent, %d had to wait before they took a connection.%n", delayed(plugin.throttle()));
        }
        System.out.println("\nA threshold counts attempts: what is aborted or ignored stays so until its burst ends. `rate: 9/10` lets a tenth pass.");
        System.out.println("Next: change application.yml and run this again; then java/sword-mybatis-plugins/README.md.");
    }

    /** Null for what is no number of seconds. */
    private static Duration length(String[] arguments) {
        String seconds = arguments.length == 0 ? "4" : arguments[0];
        return arguments.length <= 1 && seconds.matches("[1-9]") ? Duration.ofSeconds(Long.parseLong(seconds)) : null;
    }

    private static void introduce(Throttle throttle) throws IOException {
        System.out.printf("A shop's database: %,d orders in H2, %d connections that all threads share.%n", Shop.ORDERS, Shop.CONNECTIONS);
        System.out.println("Some clients read and change single orders. Others ask for the same, as fast as they are answered:\n");
        for (String mapped : IN_BURST) {
            String sql = mapped.replaceAll("#\\{\\w+}", "?");
            System.out.printf("  %s  %s%n", throttle.fingerprint(sql).substring(0, 12), throttle.normalize(sql));
        }
        System.out.println("\nThe thresholds, application.yml:\n");
        try (InputStream file = Main.class.getResourceAsStream("/application.yml")) {
            new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> System.out.println("  " + line));
        }
    }

    /** How many statements were delayed, as monitoring would see it. */
    private static long delayed(Throttle throttle) {
        Matcher line = DELAYED.matcher(throttle.metrics());
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }
}
