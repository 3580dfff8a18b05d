package io.despina.compare.manufacturing;

import io.despina.compare.Presence;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Writes the rows as lines of JSON, {@code delays-JOB.json}; when all pairs have ended, says so by {@code delays-JOB.end}. */
final class Delays implements Step {
    private final Settings settings;
    private final int job;
    private final OutputStream file;
    private int open = Manufacturing.PAIRS.length;

    Delays(Settings settings, int job) {
        this.settings = settings;
        this.job = job;
        try {
            file = new BufferedOutputStream(new FileOutputStream(settings.folder().resolve("delays-" + job + ".json").toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void accept(int input, byte[] record, Out out) {
        try {
            if (Records.kind(record) == Records.ROW) {
                file.write(Records.json(record));
                file.flush();
            } else if (--open == 0) {
                file.close();
                Presence.write(settings, "delays-" + job + ".end", "");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
