package io.despina.asking;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The secrets that were used: no message shows them, also where an answer repeats one. */
final class HiddenWords {
    /** Tokens are renewed for as long as a job runs: the oldest are forgotten. */
    private static final int MOST = 100;

    /** The one that was used last is the last. */
    private final Set<String> known = new LinkedHashSet<>();

    /** @return the secret, which is known from now on */
    String add(String secret) {
        if (!secret.isEmpty()) {
            for (String each : List.of(secret, URLEncoder.encode(secret, StandardCharsets.UTF_8))) {
                known.remove(each);
                known.add(each);
            }
            while (known.size() > MOST) {
                known.remove(known.iterator().next());
            }
        }
        return secret;
    }

    /** The text with {@code …} in place of each of them. */
    String hide(String text) {
        String shown = text;
        // a longer one may have a shorter one in it
        for (String secret : known.stream().sorted(Comparator.comparing(String::length).reversed()).toList()) {
            shown = shown.replace(secret, "…");
        }
        return shown;
    }
}
