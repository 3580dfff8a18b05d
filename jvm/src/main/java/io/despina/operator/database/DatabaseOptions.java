package io.despina.operator.database;

import java.sql.Driver;
import java.time.ZoneId;
import java.util.function.Supplier;

/**
 * How to reach a database.
 *
 * @param login      null without
 * @param driver     makes the driver, a class of the user's jars
 * @param zone       of time stamps that the database keeps without one
 * @param retryNanos how long to try again where it cannot be reached
 */
public record DatabaseOptions(String url, Login login, Supplier<Driver> driver, ZoneId zone, long retryNanos) {

    /**
     * Who asks.
     *
     * @param user     null without
     * @param password null without
     */
    public record Login(DatabaseSecret user, DatabaseSecret password) {
    }
}
