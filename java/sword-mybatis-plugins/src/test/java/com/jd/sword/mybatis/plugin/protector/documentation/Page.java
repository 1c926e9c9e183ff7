package com.jd.sword.mybatis.plugin.protector.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page of the documentation, as its reader takes it apart. */
final class Page {
    private static final Pattern BLOCK = Pattern.compile("^```(\\w+)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private final String text;

    private Page(String text) {
        this.text = text;
    }

    static Page read(String name) throws IOException {
        return new Page(Files.readString(Path.of(name)));
    }

    /** The blocks of a language, in order. */
    List<String> blocks(String language) {
        return BLOCK.matcher(text).results().filter(block -> block.group(1).equals(language)).map(block -> block.group(2))
                .collect(Collectors.toList());
    }

    /** The languages of all blocks. */
    List<String> languages() {
        return BLOCK.matcher(text).results().map(block -> block.group(1)).distinct().collect(Collectors.toList());
    }

    /** The text without what stands before each of its lines. */
    static String stripped(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "\n", "\n"));
    }

    /** What a pattern's only group finds first. */
    String first(String pattern) {
        Matcher found = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        if (!found.find()) {
            throw new AssertionError("nothing is like " + pattern);
        }
        return found.group(1);
    }
}
