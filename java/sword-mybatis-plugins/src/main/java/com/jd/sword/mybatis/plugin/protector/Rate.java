package com.jd.sword.mybatis.plugin.protector;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The part of statements over a threshold that its strategy is applied to, as people write it and as the throttle takes it. */
final class Rate {
    static final String ALL = "1";

    private static final String EXPECTED = "is no rate: write two whole numbers such as `2/3`, a decimal of up to six places such as `0.5`,"
            + " or `1` for all; more than none and at most all";
    private static final Pattern FRACTION = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})");
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{0,9}(\\.[0-9]{1,6})?");

    private Rate() {}

    /** @throws IllegalArgumentException it is none */
    static String of(String text) {
        Matcher fraction = FRACTION.matcher(text);
        if (fraction.matches()) {
            return of(text, new BigInteger(fraction.group(1)), new BigInteger(fraction.group(2)));
        }
        if (text.isEmpty() || !DECIMAL.matcher(text).matches()) {
            throw new IllegalArgumentException("`" + text + "` " + EXPECTED);
        }
        BigDecimal decimal = new BigDecimal(text);
        return of(text, decimal.unscaledValue(), BigInteger.TEN.pow(decimal.scale()));
    }

    private static String of(String text, BigInteger part, BigInteger of) {
        if (part.signum() <= 0 || part.compareTo(of) > 0) {
            throw new IllegalArgumentException("`" + text + "` " + EXPECTED);
        }
        BigInteger divisor = part.gcd(of);
        return part.equals(of) ? ALL : part.divide(divisor) + "/" + of.divide(divisor);
    }
}
