package io.despina.control.process;

/** How Java's own logging writes, which a JVM has until Spark's is loaded: lines like those that Spark's then writes. */
public final class LogFormat {
    private static final String PROPERTY = "java.util.logging.SimpleFormatter.format";
    /** The time, the level, the logger's name, which for warnings of operators is the operator's id, and the message. */
    private static final String LINE = "%1$tT %4$s %3$s: %5$s%6$s%n";

    private LogFormat() {
    }

    /** To be called before anything is logged. A format that the user has set stays. */
    public static void set() {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, LINE);
        }
    }
}
