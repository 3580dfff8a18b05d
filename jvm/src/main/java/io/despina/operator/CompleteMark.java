package io.despina.operator;

import io.despina.log.LogThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file beside the log of a source which says that an epoch was complete. A job that begins without an epoch nevertheless begins
 * anew, and what the log has is of a job before. Without the file no epoch was complete, and what the log has is not used up.
 */
public final class CompleteMark {
    private final OperatorContext context;
    private final Path file;
    private boolean isSet;

    public CompleteMark(OperatorContext context) {
        this.context = context;
        file = context.keptFolder().resolve("complete");
        isSet = Files.exists(file);
    }

    public boolean isOfJobBefore() {
        return isSet && !context.isRestored();
    }

    /** The log has been opened: what was of a job before is gone. */
    public void clear() throws IOException {
        if (isOfJobBefore()) {
            Files.delete(file);
            isSet = false;
        }
    }

    /** An epoch is complete. */
    public void set() {
        if (!isSet) {
            isSet = true;
            LogThreads.SHARED.execute(this::write);
        }
    }

    private void write() {
        try {
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            context.warn("cannot write " + file + ": " + e.getMessage());
        }
    }
}
