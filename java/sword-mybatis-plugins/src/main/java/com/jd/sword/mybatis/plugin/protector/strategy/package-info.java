/** What is done to statements over their threshold: abort, ignore, delay, or what a program says itself. */
package com.jd.sword.mybatis.plugin.protector.strategy;
