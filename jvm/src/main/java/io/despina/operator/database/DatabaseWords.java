package io.despina.operator.database;

import io.despina.operator.Reason;
import java.net.UnknownHostException;
import java.sql.SQLException;

/** What a database says. */
public final class DatabaseWords {
    private DatabaseWords() {
    }

    public static String of(Exception why) {
        if (why.getCause() instanceof UnknownHostException host) {
            return Reason.of(why) + " (the host is unknown: " + host.getMessage() + ")";
        }
        return Reason.of(why instanceof SQLException sql ? Rejection.cause(sql) : why);
    }
}
