package io.despina.iceberg;

import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NotFoundException;

/** What goes wrong, in words. */
final class Words {
    private Words() {
    }

    /** Something that Iceberg could not do. */
    static IOException of(String path, Exception why) {
        String table = "`path` " + path + ": ";
        if (why instanceof RefusedException || why instanceof LostException) {
            return (IOException) why;
        }
        if (why instanceof UncheckedIOException unchecked && unchecked.getCause() instanceof RefusedException refused) {
            return new RefusedException(table + refused.getMessage(), refused);
        }
        // a file may be gone because another writer has cleaned up meanwhile
        if (why instanceof IOException || why instanceof UncheckedIOException || why instanceof NotFoundException
                || why instanceof AnotherFirstException || why instanceof CommitFailedException
                || why instanceof CommitStateUnknownException) {
            return new LostException(table + deepest(why), why);
        }
        return new RefusedException(table + "Iceberg does not do it: " + why, why);
    }

    private static String deepest(Throwable why) {
        return why.getCause() == null ? why.getClass().getSimpleName() + ": " + why.getMessage() : deepest(why.getCause());
    }
}
