package io.despina.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;

/** Files in the run's folder by which its processes tell the harness who they are and what they found. */
public final class Presence {
    private static final AtomicLong PARTS = new AtomicLong();

    private Presence() {
    }

    /** Says that {@code role} runs in this process: {@code ROLE.PID.pid}. */
    public static void announce(Settings settings, String role) {
        long pid = ProcessHandle.current().pid();
        write(settings, role + "." + pid + ".pid", Long.toString(pid));
    }

    /** Writes a whole file at once: who reads it never sees a part. */
    public static void write(Settings settings, String name, String text) {
        Path part = settings.folder().resolve("." + name + "." + ProcessHandle.current().pid() + "." + PARTS.incrementAndGet());
        try {
            Files.write(part, text.getBytes(StandardCharsets.UTF_8));
            Files.move(part, settings.folder().resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
