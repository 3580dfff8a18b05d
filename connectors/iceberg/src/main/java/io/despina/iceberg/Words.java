package io.despina.iceberg;

import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.jdbc.UncheckedSQLException;

/** What goes wrong, in words. */
final class Words {
    /** The connection, a transaction that another one has undone, a server that begins or ends; SQLite says it in its message. */
    private static final Pattern PASSING = Pattern.compile("08...|40...|57P..");
    private static final String BUSY = "[SQLITE_BUSY";

    private Words() {
    }

    /** Something that Iceberg could not do. @param title of the table */
    static IOException of(String title, Exception why) {
        String table = title + ": ";
        if (why instanceof RefusedException || why instanceof LostException) {
            return (IOException) why;
        }
        if (why.getCause() instanceof RefusedException refused) {
            return new RefusedException(table + refused.getMessage(), refused);
        }
        if (why.getCause() instanceof LostException lost) {
            return new LostException(table + lost.getMessage(), lost);
        }
        if (why instanceof NotAuthorizedException || why instanceof ForbiddenException) {
            return new RefusedException(table + "the catalog does not let it in, or not there: " + why.getMessage(), why);
        }
        if (why instanceof NoSuchNamespaceException) {
            return new RefusedException(table + "the catalog has no such namespace, and none is made: " + why.getMessage(), why);
        }
        if (why.getCause() instanceof SSLHandshakeException distrust) {
            return new RefusedException(table + "the catalog's certificate is not believed (`trust`): " + distrust.getMessage(),
                    why);
        }
        return isPassing(why) ? new LostException(table + deepest(why), why)
                : new RefusedException(table + "Iceberg does not do it: " + deepest(why), why);
    }

    /** Whether another try may help. A file may be gone because another writer has cleaned up meanwhile. */
    private static boolean isPassing(Exception why) {
        if (why instanceof UncheckedSQLException) {
            return why.getCause() instanceof SQLException sql && isPassing(sql);
        }
        return why instanceof IOException || why instanceof UncheckedIOException || why instanceof NotFoundException
                || why instanceof AnotherFirstException || why instanceof CommitFailedException
                || why instanceof CommitStateUnknownException || why instanceof ServiceFailureException
                || why instanceof ServiceUnavailableException
                || why instanceof RESTException && why.getCause() instanceof IOException;
    }

    private static boolean isPassing(SQLException why) {
        return why instanceof SQLTransientException || why instanceof SQLRecoverableException
                || why.getSQLState() != null && PASSING.matcher(why.getSQLState()).matches()
                || why.getMessage() != null && why.getMessage().contains(BUSY);
    }

    private static String deepest(Throwable why) {
        return why.getCause() == null ? why.getClass().getSimpleName() + ": " + why.getMessage() : deepest(why.getCause());
    }
}
