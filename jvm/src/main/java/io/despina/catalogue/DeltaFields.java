package io.despina.catalogue;

import io.despina.catalogue.field.LocalPath;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.operator.disk.FileAddress;
import io.despina.plan.PlanningContext;
import io.despina.plan.StandardStreams;

/** What {@code delta_source} and {@code delta_sink} share. */
final class DeltaFields {
    static final String CONNECTOR = "delta";

    private DeltaFields() {
    }

    /**
     * The table's folder, which {@code path} names; null after a refusal.
     *
     * @param done with tables: {@code read}
     */
    static String folder(PlanningContext context, String done) {
        Text path = context.fields().text("path");
        String folder = LocalPath.anywhere(context, path);
        if (folder == null || !StandardStreams.isMeant(folder) && !FileAddress.isHadoops(folder)) {
            return folder;
        }
        return context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is no folder of this machine",
                "tables elsewhere are not " + done + " yet");
    }
}
