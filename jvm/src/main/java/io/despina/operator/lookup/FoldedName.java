package io.despina.operator.lookup;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;

/** A place's name without case and accents, as UTF-16, in memory that is used again. */
final class FoldedName {
    /** Bytes of UTF-8. GeoNames' names have 400 characters at most. */
    static final int MOST_BYTES = 1600;
    /** Accents of Latin, Greek and Cyrillic. The marks of other scripts are letters. */
    private static final char FIRST_ACCENT = 0x300;
    private static final char LAST_ACCENT = 0x36f;
    private static final int GROWTH = 4;
    private static final int HASH = 31;

    private final char[] chars = new char[GROWTH * MOST_BYTES];
    private int length;
    private int hash;

    /** Folds {@code length} bytes of UTF-8, at most {@link #MOST_BYTES}. */
    void fold(byte[] bytes, int from, int count) {
        length = 0;
        for (int k = from; k < from + count; k++) {
            if (bytes[k] < 0) {
                foldAny(new String(bytes, from, count, StandardCharsets.UTF_8));
                break;
            }
            chars[length++] = (char) (bytes[k] >= 'A' && bytes[k] <= 'Z' ? bytes[k] + 'a' - 'A' : bytes[k]);
        }
        trim();
        hash = 0;
        for (int k = 0; k < length; k++) {
            hash = HASH * hash + chars[k];
        }
    }

    private void foldAny(String name) {
        String apart = Normalizer.normalize(name.toLowerCase(Locale.ROOT), Normalizer.Form.NFD);
        StringBuilder kept = new StringBuilder(apart.length());
        for (int k = 0; k < apart.length(); k++) {
            char letter = apart.charAt(k);
            if (letter < FIRST_ACCENT || letter > LAST_ACCENT) {
                kept.append(plain(letter));
            }
        }
        String folded = Normalizer.normalize(kept, Normalizer.Form.NFC);
        length = Math.min(folded.length(), chars.length);
        folded.getChars(0, length, chars, 0);
    }

    /** Letters that are others with a stroke, or two in one. */
    private static String plain(char letter) {
        return switch (letter) {
            case 'ß' -> "ss";
            case 'æ' -> "ae";
            case 'œ' -> "oe";
            case 'þ' -> "th";
            case 'ø' -> "o";
            case 'đ', 'ð' -> "d";
            case 'ł' -> "l";
            case 'ħ' -> "h";
            case 'ı' -> "i";
            default -> String.valueOf(letter);
        };
    }

    private void trim() {
        int start = 0;
        while (start < length && chars[start] == ' ') {
            start++;
        }
        while (length > start && chars[length - 1] == ' ') {
            length--;
        }
        length -= start;
        System.arraycopy(chars, start, chars, 0, length);
    }

    char[] chars() {
        return chars;
    }

    int length() {
        return length;
    }

    int hash() {
        return hash;
    }
}
