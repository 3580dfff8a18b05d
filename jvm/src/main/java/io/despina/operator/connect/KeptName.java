package io.despina.operator.connect;

import io.despina.operator.KeptNames;
import io.despina.operator.OperatorContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The name under which a server knows an instance: a file in the instance's folder has it for ever. A job that keeps no state has
 * another name each time.
 */
final class KeptName {
    private static final int DIGITS = 12;

    private KeptName() {
    }

    /** Blocks for the disk. */
    static String of(OperatorContext context) throws IOException {
        return KeptNames.session(id(context.keptFolder()), context.operatorId(), context.instance());
    }

    private static String id(Path folder) throws IOException {
        String fresh = UUID.randomUUID().toString().replace("-", "").substring(0, DIGITS);
        if (folder == null) {
            return fresh;
        }
        KeptNames.write(folder, KeptNames.SESSION, fresh);
        return KeptNames.read(folder, KeptNames.SESSION);
    }
}
