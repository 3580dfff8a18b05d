package io.despina.operator.database;

import io.despina.operator.Reason;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.regex.Pattern;

/** What a database says, in one line. */
public final class DatabaseWords {
    private static final Pattern END = Pattern.compile("\\s*\\R\\s*");

    private DatabaseWords() {
    }

    public static String of(Exception why) {
        if (why.getCause() instanceof UnknownHostException host) {
            return line(why) + " (the host is unknown: " + host.getMessage() + ")";
        }
        return line(why instanceof SQLException sql ? Rejection.cause(sql) : why);
    }

    private static String line(Exception why) {
        return END.matcher(Reason.of(why)).replaceAll("; ");
    }
}
