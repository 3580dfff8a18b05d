package io.despina.expr;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Keeps compiled expressions for as long as the tests run, as a user's folder does: without it each instance of an operator has
 * its code generated anew.
 */
public final class KeptForTests implements LauncherSessionListener {
    private Path folder;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        try {
            folder = Files.createTempDirectory("kept");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Expressions.keep(new KeptAnswers(folder));
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        Expressions.keep(null);
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
