package io.despina.operator.database.sink;

import io.despina.operator.Reason;
import java.sql.SQLException;

/** What a database says. */
final class Words {
    private Words() {
    }

    static String of(Exception why) {
        return Reason.of(why instanceof SQLException sql ? Rejection.cause(sql) : why);
    }
}
