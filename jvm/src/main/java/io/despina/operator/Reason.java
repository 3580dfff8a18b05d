package io.despina.operator;

import io.despina.expr.ExpressionException;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Why an operator failed, or could not take a record, in words for the graph's author. */
public final class Reason {
    private static final String CUT = "…";
    /** Control characters of ASCII and of Latin-1: terminals interpret both. */
    private static final Pattern CONTROLS = Pattern.compile("\\p{Cc}");

    private Reason() {
    }

    /** The text as one line, with control characters replaced: data must not control a terminal. */
    public static String visible(String text) {
        return CONTROLS.matcher(text).replaceAll("\uFFFD");
    }

    /** The text, cut to {@code most} characters and marked if it was longer. {@code most} includes the mark. */
    public static String shortened(String text, int most) {
        if (text == null || text.length() <= most) {
            return text;
        }
        int end = most - CUT.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + CUT;
    }

    /** The text in so many bytes at most: cut between two characters, with a mark, if it is longer; none where no mark fits. */
    public static byte[] utf8(String text, int most) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= most) {
            return utf8;
        }
        byte[] mark = CUT.getBytes(StandardCharsets.UTF_8);
        int end = most - mark.length;
        if (end < 0) {
            return new byte[0];
        }
        while (end > 0 && (utf8[end] & 0xC0) == 0x80) {
            end--;
        }
        byte[] cut = Arrays.copyOf(utf8, end + mark.length);
        System.arraycopy(mark, 0, cut, end, mark.length);
        return cut;
    }

    public static String of(Throwable cause) {
        String text = cause.getMessage();
        if (cause instanceof FileSystemException file && file.getReason() == null) {
            // its message is the path alone
            return cause instanceof NoSuchFileException ? "there is no " + text
                    : cause instanceof AccessDeniedException ? "no permission for " + text
                    : cause instanceof FileAlreadyExistsException ? text + " already exists" : text;
        }
        if (cause instanceof ConnectException && text == null) {    // Java's own HTTP client leaves it out
            return isOfUnknownHost(cause) ? "the host is unknown" : "Connection refused";
        }
        if (text == null || text.isBlank()) {
            return cause.getClass().getSimpleName();
        }
        if (cause instanceof NegativeArraySizeException) {      // its message is a number that wrapped
            return "a value has more bytes or elements than an array can hold";
        }
        boolean bare = cause instanceof NullPointerException || cause instanceof IndexOutOfBoundsException;
        return bare && !ExpressionException.isSparks(text) ? cause.getClass().getSimpleName() + ": " + text
                : ExpressionException.plain(text);
    }

    private static boolean isOfUnknownHost(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof UnresolvedAddressException) {
                return true;
            }
        }
        return false;
    }
}
