package io.despina.operator.database;

import io.despina.operator.Reason;
import java.sql.SQLException;

/** What a database says. */
public final class DatabaseWords {
    private DatabaseWords() {
    }

    public static String of(Exception why) {
        return Reason.of(why instanceof SQLException sql ? Rejection.cause(sql) : why);
    }
}
